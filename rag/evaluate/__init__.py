"""Questions with known answers → figures. Calls the same functions as the command line."""
