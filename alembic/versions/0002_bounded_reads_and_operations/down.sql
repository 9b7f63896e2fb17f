DROP FUNCTION wi_state(text, integer, jsonb);
DROP FUNCTION wi_proof(text, integer, jsonb);
DROP FUNCTION wi_read(text, integer, jsonb, text[], text[], text, text[]);
DROP FUNCTION wi_project(text, integer, bigint, bigint, jsonb, integer, jsonb);
DROP FUNCTION wi_append(text, bigint, integer, integer, jsonb, jsonb, jsonb, integer, jsonb, timestamptz);
DROP FUNCTION wi_write_rows(text, integer[], integer[], integer[], bigint, jsonb);
DROP FUNCTION wi_lock(text);
DROP FUNCTION wi_enter(text);
