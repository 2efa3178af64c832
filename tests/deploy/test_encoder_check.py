"""Doctor names what keeps meanings from being compared, where somebody wants it."""

import pytest

from core.settings_loading import load
from deploy.cli import stored_checks
from matcher.reworded import weights
from tests.support.encoders import needs_encoder
from webadmin.accounts.models import RightsHolder

pytestmark = pytest.mark.django_db
SETTINGS = load({})


def test_a_missing_encoder_is_named_with_who_wants_it_and_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "PACKAGE", "none_of_this_name")
    holder = RightsHolder.objects.create(name="青梧文学")
    assert stored_checks.check_encoder(SETTINGS) == []
    holder.reworded_kinds = ["novel"]
    holder.save()
    [found] = stored_checks.check_encoder(SETTINGS)
    assert "青梧文学" in found.problem.in_language("en")
    assert "no module none_of_this_name" in found.problem.in_language("zh-hans")
    assert "pip install 'zhuiwen[reworded]'" in found.remedy.in_language("en")


@needs_encoder
def test_weights_that_were_changed_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    RightsHolder.objects.create(name="青梧文学", reworded_kinds=["novel"])
    assert stored_checks.check_encoder(SETTINGS) == []
    monkeypatch.setattr(weights, "TOKENIZER_SHA256", "0" * 64)
    [found] = stored_checks.check_encoder(SETTINGS)
    assert "sp.model" in found.problem.in_language("en")
