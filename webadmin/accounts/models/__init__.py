"""The models of accounts."""

from webadmin.accounts.models.failed_message import FailedMessage
from webadmin.accounts.models.rights_holder import Membership, RightsHolder, User
