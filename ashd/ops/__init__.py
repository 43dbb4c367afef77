"""What an operator needs around the daemon: backup, export, doctor, service manager, sandbox."""
