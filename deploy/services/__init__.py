"""The processes of one machine: started, watched and ended through supervisord."""

from deploy.services.lifecycle import OnProgress, down, up
from deploy.services.state import InstallationState, ServiceStatus, status

__all__ = ["InstallationState", "OnProgress", "ServiceStatus", "down", "status", "up"]
