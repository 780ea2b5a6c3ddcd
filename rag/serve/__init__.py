"""The index on the web: pages, an HTTP API, OpenAI's protocol, MCP; on this machine by default."""
