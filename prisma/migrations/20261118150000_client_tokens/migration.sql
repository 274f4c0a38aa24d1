-- A token that is bound to a profile lies in the configuration of an MCP client: it is good for nothing else.

ALTER TABLE api_tokens DROP CONSTRAINT api_tokens_profile_needs_mcp;
ALTER TABLE api_tokens ADD CONSTRAINT api_tokens_profile_is_mcp_alone CHECK (profile IS NULL OR scopes = ARRAY['mcp']);
