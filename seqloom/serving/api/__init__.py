"""What the server speaks: its own API, LibreTranslate's, OpenAI's."""
