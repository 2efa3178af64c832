"""The processes of one machine: started, watched and ended through supervisord."""

from deploy.services.lifecycle import OnProgress, down, up
from deploy.services.state import ServiceStatus, State, status

__all__ = ["OnProgress", "ServiceStatus", "State", "down", "status", "up"]
