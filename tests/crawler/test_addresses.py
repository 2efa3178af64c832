"""A crawled site cannot make the crawler ask inside the operator's network."""

import pytest

from core.addresses import refusal
from core.errors import UnsafeUrl
from crawler.fetching.addresses import AddressGuard


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.8.8", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "169.254.1.1",
        "100.64.0.1",
        "0.0.0.0", "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.2.1",
        "198.18.0.1", "100.100.100.200",
        "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "2002:7f00:1::", "2001:db8::1",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public_are_refused(address: str) -> None:
    assert refusal(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "114.114.114.114", "2400:3200::1", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_public_addresses_are_not(address: str) -> None:
    assert refusal(address) is None


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd", "ftp://a.example/", "gopher://a.example/", "a.example/x", "http://", "http://user:secret@a.example/",
        "http://127.0.0.1/", "http://[::1]:80/", "http://169.254.169.254/latest/", "http://metadata.google.internal/",
        "http://10.0.0.1:8080/", "http://a.example:99999/",
    ],
)  # fmt: skip
def test_urls_that_must_not_be_fetched_are_refused_with_a_reason(url: str) -> None:
    with pytest.raises(UnsafeUrl) as caught:
        AddressGuard().check_url(url)
    assert "was not fetched: " in str(caught.value)
    assert "secret" not in str(caught.value)


def test_what_the_operator_allows_is_allowed_on_its_port_only() -> None:
    guard = AddressGuard(("127.0.0.1:8001", "intranet.example:80", "[::1]:8002"))
    guard.check_url("http://127.0.0.1:8001/x")
    guard.check_url("http://[::1]:8002/x")
    guard.check_address("http://intranet.example/", "intranet.example", 80, "10.0.0.7")
    with pytest.raises(UnsafeUrl, match=r"127\.0\.0\.1:8002 to ZHUIWEN_ALLOW_PRIVATE_HOSTS"):
        guard.check_url("http://127.0.0.1:8002/x")
    with pytest.raises(UnsafeUrl):
        guard.check_address("http://other.example/", "other.example", 80, "10.0.0.7")
