"""What the `minicell` command does: a module a subcommand."""
