"""Settings: defaults, faults, secrets."""

import pytest

from core.errors import BadConfiguration
from core.settings import load


def test_no_configuration_embeds_every_service() -> None:
    settings = load({})
    assert settings.services.embeds_mongo
    assert settings.services.embeds_redis
    assert settings.mongo_url == "mongodb://127.0.0.1:27117/zhuiwen"
    assert settings.web.time_zone == "Asia/Shanghai"


def test_a_url_replaces_the_embedded_twin() -> None:
    settings = load({"ZHUIWEN_MONGO_URL": "mongodb://db.example/zw"})
    assert not settings.services.embeds_mongo
    assert settings.mongo_url == "mongodb://db.example/zw"


def test_all_faults_are_named_at_once_with_the_value_seen() -> None:
    with pytest.raises(BadConfiguration) as caught:
        load({"ZHUIWEN_WEB_PORT": "99999", "ZHUIWEN_TIME_ZONE": "Mars/Olympus", "ZHUIWEN_WORKERS": "many"})
    assert len(caught.value.faults) == 3
    assert "ZHUIWEN_WEB_PORT is '99999'; allowed: a whole number from 1 to 65535" in caught.value.faults
    assert any("Mars/Olympus" in fault for fault in caught.value.faults)


def test_secrets_do_not_show_in_the_representation() -> None:
    settings = load({"ZHUIWEN_SECRET_KEY": "do-not-show", "ZHUIWEN_REDIS_URL": "redis://:do-not-show@r/0"})
    assert "do-not-show" not in repr(settings)
