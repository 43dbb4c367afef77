"""Start an agent in a sandbox: bubblewrap with a system call filter, limits and a relay.

A library of the host's command line beside the daemon. It needs the standard library alone, and
neither imports anything else of ``ashd`` nor is imported by the daemon.
"""
