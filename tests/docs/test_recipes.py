"""The patches of the recipes."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("patch", sorted((ROOT / "docs" / "recipes").glob("*.patch")), ids=lambda patch: patch.stem)
def test_the_patch_of_a_recipe_applies(patch: Path) -> None:
    command = ["git", "apply", "--check", str(patch)]
    applied = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert applied.returncode == 0, applied.stderr
