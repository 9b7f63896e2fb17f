"""How does a shell complete the words of `workindex`? By asking the program itself."""

from __future__ import annotations

import rich_click as click

from workindex.cli.output import Cli, json_option

SHELLS = ("bash", "zsh", "fish")
_VARIABLE = "_WORKINDEX_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@json_option
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that makes a shell complete commands, options and their values.

    For bash and zsh put the first line into ~/.bashrc or ~/.zshrc, with the name of the shell;
    fish reads the file of the second line by itself.

    \b
    Examples:
      eval "$(workindex completion bash)"
      workindex completion fish > ~/.config/fish/completions/workindex.fish
    """
    from click.shell_completion import ShellComplete, get_completion_class

    found = get_completion_class(shell)
    assert found is not None, f"click no longer knows {shell}"
    root = context.find_root()
    asking = found(root.command, {}, str(root.info_name), _VARIABLE)
    # The base class's: bash's own asks the bash of this machine for its version.
    script = ShellComplete.source(asking)
    cli = context.ensure_object(Cli)
    if cli.json:
        cli.emit({"shell": shell, "script": script})
    else:
        click.echo(script)
