"""Training runs, one YAML file each."""
