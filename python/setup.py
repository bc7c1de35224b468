"""The wheel is for one kind of machine if the engine lies in the package, else for all."""

from pathlib import Path

from setuptools import Distribution, setup


class WithEngine(Distribution):
    def has_ext_modules(self) -> bool:
        return any(Path(__file__).parent.glob("stashscope/_engine*.so"))


setup(distclass=WithEngine)
