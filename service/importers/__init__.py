"""Importers: files of other programs become commands, the same ones however often they are run."""
