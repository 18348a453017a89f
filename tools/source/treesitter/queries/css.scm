(comment) @comment

(import_statement (string_value) @import)

(rule_set (selectors) @name (block) @body) @class
(keyframes_statement (keyframes_name) @name) @object
(media_statement (_) @name (block) @body) @object
(supports_statement (_) @name (block) @body) @object
(at_rule (at_keyword) @name (block) @body) @object
(declaration (property_name) @name) @property
