(comment) @comment

(config_file (body (block (identifier) @name (body)? @body) @object))
(config_file (body (block (identifier) (body (attribute (identifier) @name) @property))))
(config_file (body (attribute (identifier) @name) @variable))
(config_file (body (block (identifier) (body (block (identifier) @name (body)? @body) @object))))
