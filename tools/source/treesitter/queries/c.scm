(comment) @comment
(preproc_include path: [(string_literal) (system_lib_string)] @import)
(preproc_def name: (identifier) @name value: (_)? @body) @macro
(preproc_function_def name: (identifier) @name value: (_)? @body) @macro

; A declarator is captured whole for the name, which is found in its text.
(declaration declarator: (_) @name @variable) @outer
(declaration type: [(struct_specifier body: (_)) (union_specifier body: (_)) (enum_specifier body: (_))] declarator: (_) @name @variable)
(field_declaration declarator: (_) @name @property) @outer
(field_declaration type: [(struct_specifier body: (_)) (union_specifier body: (_)) (enum_specifier body: (_))] declarator: (_) @name @property)

(type_definition declarator: (_) @name @typeAlias) @outer
(type_definition type: [(struct_specifier name: (_) body: (_)) (union_specifier name: (_) body: (_)) (enum_specifier name: (_) body: (_))] declarator: (_) @name @typeAlias)
(type_definition type: [(struct_specifier !name body: (_)) (union_specifier !name body: (_))] . declarator: (_) @name @struct) @outer
(type_definition type: (enum_specifier !name body: (_)) . declarator: (_) @name @enum) @outer

(struct_specifier name: (type_identifier) @name body: (_) @body) @struct
(union_specifier name: (type_identifier) @name body: (_) @body) @struct
(enum_specifier name: (type_identifier) @name body: (_) @body) @enum
(enumerator name: (identifier) @name) @enumCase

(declaration (attribute_specifier)* @attribute declarator: (function_declarator declarator: (_) @name) @function) @outer
(declaration declarator: (pointer_declarator (function_declarator declarator: (_) @name)) @function) @outer
(declaration declarator: (pointer_declarator (pointer_declarator (function_declarator declarator: (_) @name))) @function) @outer
(declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator)) @name) @variable) @outer
(declaration declarator: (pointer_declarator (function_declarator declarator: (parenthesized_declarator (pointer_declarator)) @name)) @variable) @outer

(function_definition (attribute_specifier)* @attribute declarator: (function_declarator declarator: (_) @name) body: (_) @body) @function
(function_definition (attribute_specifier)* @attribute declarator: (pointer_declarator (function_declarator declarator: (_) @name)) body: (_) @body) @function
(function_definition declarator: (pointer_declarator (pointer_declarator (function_declarator declarator: (_) @name))) body: (_) @body) @function
(function_definition declarator: (pointer_declarator (pointer_declarator (pointer_declarator (function_declarator declarator: (_) @name)))) body: (_) @body) @function
(function_definition declarator: (attributed_declarator (function_declarator declarator: (_) @name)) body: (_) @body) @function

(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))
