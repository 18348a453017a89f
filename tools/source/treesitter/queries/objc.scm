(comment) @comment

(preproc_include path: (_) @import)
(module_import path: (_) @import)

(class_interface . (identifier) @name) @class
(class_interface . (identifier) @name category: (identifier)) @extension
(class_implementation . (identifier) @name) @extension
(protocol_declaration . (identifier) @name) @interface
(property_declaration (struct_declaration (struct_declarator (identifier) @name))) @property
(property_declaration (struct_declaration (struct_declarator (pointer_declarator declarator: (identifier) @name)))) @property
(method_declaration . (method_type)? . (identifier) @name) @method
(method_definition . (method_type)? . (identifier) @name (compound_statement) @body) @method

(function_definition declarator: (function_declarator declarator: (identifier) @name) body: (_) @body) @function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)) body: (_) @body) @function
(translation_unit (declaration declarator: (function_declarator declarator: (identifier) @name)) @function)
(translation_unit (declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @function)
(translation_unit (declaration declarator: (init_declarator declarator: (identifier) @name)) @variable)
(translation_unit (declaration declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))) @variable)
(struct_specifier name: (type_identifier) @name body: (_) @body) @struct
(enum_specifier name: (type_identifier) @name body: (_) @body) @enum
(enumerator name: (identifier) @name) @enumCase
(type_definition declarator: (type_identifier) @name) @typeAlias
(preproc_def name: (identifier) @name) @macro
(preproc_function_def name: (identifier) @name) @macro

(call_expression function: (identifier) @call)
(message_expression method: (identifier) @call)
