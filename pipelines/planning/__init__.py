"""What a build would do and take, found out by rehearsing it."""
