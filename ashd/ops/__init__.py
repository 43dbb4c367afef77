"""The operator's tools: backup, export, doctor, service manager, sandbox."""
