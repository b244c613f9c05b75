"""Files in BRAIN_HOME: private folders, rotated logs, remembered ports."""
