"""One generated demo for all tests of this folder."""

import pytest

from deploy.demo.built_in_sites import generate
from deploy.demo.library import Library, load_library
from tests.support.demo_sites import Demo


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    folder = tmp_path_factory.mktemp("demo")
    return Demo(generate(folder), folder)


@pytest.fixture(scope="session")
def library() -> Library:
    return load_library()
