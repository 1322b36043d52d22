-- The session that a recall block names: where an agent's own session id is another one, it leads to the logged prompts.

ALTER TABLE wb.agent_recalls ADD COLUMN IF NOT EXISTS given_session_id VARCHAR;
