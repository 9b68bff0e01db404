"""The store: what is kept, in SQLite or PostgreSQL, through one code.  It knows no Telegram and no language."""
