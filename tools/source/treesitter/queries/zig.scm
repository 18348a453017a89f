(comment) @comment

(variable_declaration . (identifier) @name) @variable
(variable_declaration . (identifier) @name (struct_declaration) @body) @struct
(variable_declaration . (identifier) @name (union_declaration) @body) @struct
(variable_declaration . (identifier) @name (opaque_declaration) @body) @struct
(variable_declaration . (identifier) @name (enum_declaration) @body) @enum
(variable_declaration . (identifier) @name (error_set_declaration) @body) @enum
(struct_declaration) @anonymous

(container_field name: (identifier) @name) @property
(enum_declaration (container_field name: (identifier) @name) @enumCase)
(function_declaration name: (identifier) @name body: (_)? @body) @function
(test_declaration (string (string_content) @name) (block) @body) @function
(test_declaration (identifier) @name (block) @body) @function

(builtin_function (builtin_identifier) @require (arguments (string (string_content) @import)))

(call_expression function: (identifier) @call)
(call_expression function: (field_expression member: (identifier) @call))
