"""The recursions of rigid-body dynamics, written once over any scalar."""
