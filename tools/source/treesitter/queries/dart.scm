[(comment) (documentation_comment)] @comment
[(marker_annotation) (annotation)] @attribute

(import_specification (configurable_uri) @import)
(library_export (configurable_uri) @import)
(part_directive (uri) @import)

(class_definition name: (identifier) @name body: (_) @body) @class
(mixin_declaration (identifier) @name (class_body) @body) @class
(extension_declaration name: (identifier) @name body: (_) @body) @extension
(enum_declaration name: (identifier) @name body: (_) @body) @enum
(enum_constant name: (identifier) @name) @enumCase
(type_alias (type_identifier) @name) @typeAlias

(declaration (initialized_identifier_list (initialized_identifier (identifier) @name))) @property
(declaration (static_final_declaration_list (static_final_declaration (identifier) @name))) @property
(program (static_final_declaration_list (static_final_declaration . (identifier) @name)) @constant)
(program (initialized_identifier_list (initialized_identifier . (identifier) @name)) @variable)

(program (function_signature name: (identifier) @name) @function . (function_body) @body)
(program (getter_signature name: (identifier) @name) @accessor . (function_body) @body)
(program (setter_signature name: (identifier) @name) @accessor . (function_body) @body)
(local_function_declaration (lambda_expression (function_signature name: (identifier) @name) (function_body) @body)) @function

(declaration (function_signature name: (identifier) @name)) @method
(declaration (getter_signature name: (identifier) @name)) @accessor
(declaration (setter_signature name: (identifier) @name)) @accessor
(declaration (constructor_signature . name: (identifier) @name)) @initializer
(declaration (constant_constructor_signature (qualified) @name)) @initializer
(declaration (factory_constructor_signature . (identifier) @name)) @initializer
(declaration (redirecting_factory_constructor_signature . (identifier) @name)) @initializer
(method_signature (function_signature name: (identifier) @name)) @method
((method_signature (function_signature name: (identifier) @name)) @method . (function_body) @body)
((method_signature (getter_signature name: (identifier) @name)) @accessor . (function_body) @body)
((method_signature (setter_signature name: (identifier) @name)) @accessor . (function_body) @body)
((method_signature (constructor_signature . name: (identifier) @name)) @initializer . (function_body) @body)
((method_signature (factory_constructor_signature . (identifier) @name)) @initializer . (function_body) @body)
((method_signature (operator_signature (binary_operator) @name)) @operator . (function_body) @body)

(initialized_variable_definition name: (identifier) @name value: (function_expression body: (_) @body)) @lambda

((identifier) @call . (selector (argument_part)))
((selector (unconditional_assignable_selector (identifier) @call)) . (selector (argument_part)))
((selector (conditional_assignable_selector (identifier) @call)) . (selector (argument_part)))
