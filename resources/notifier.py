"""The notifier as a Dagster resource."""

import dagster as dg

from rag_core.alerting.delivery import Notifier, parse_addresses
from rag_core.settings import read_settings


class NotifierResource(dg.ConfigurableResource[Notifier]):
    """The addresses that the environment names, for one tick."""

    def create_resource(self, _context: dg.InitResourceContext) -> Notifier:
        """The notifier; without addresses nobody is told."""
        urls = read_settings().alert_urls
        return Notifier(addresses=parse_addresses(urls.get_secret_value() if urls else ""))
