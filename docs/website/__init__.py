"""The documentation as a site of plain files: no network, no server, no further packages."""
