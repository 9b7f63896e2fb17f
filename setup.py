"""Stops a build from a checkout without links; everything else is in pyproject.toml."""

import runpy

import setuptools

runpy.run_path("src/workindex/_links.py")
setuptools.setup()
