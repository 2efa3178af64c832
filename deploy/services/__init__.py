"""Starts, watches and stops the processes of one machine with supervisord."""

from deploy.services.lifecycle import OnProgress, down, up
from deploy.services.state import InstallationState, ServiceStatus, status

__all__ = ["InstallationState", "OnProgress", "ServiceStatus", "down", "status", "up"]
