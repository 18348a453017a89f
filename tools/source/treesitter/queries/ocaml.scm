(comment) @comment

(open_module module: (_) @import)

(value_definition (let_binding pattern: (value_name) @name body: (_) @body) @constant) @outer
(value_definition (let_binding pattern: (value_name) @name (parameter) body: (_) @body) @function) @outer
(value_definition (let_binding pattern: (value_name) @name body: (fun_expression) @body) @function) @outer
(value_definition (let_binding pattern: (value_name) @name body: (function_expression) @body) @function) @outer
(value_definition (let_binding pattern: (parenthesized_operator) @name (parameter) body: (_) @body) @operator) @outer
(let_expression) @local

(type_definition (type_binding name: (type_constructor) @name) @typeAlias) @outer
(type_definition (type_binding name: (type_constructor) @name body: (record_declaration) @body) @struct) @outer
(type_definition (type_binding name: (type_constructor) @name body: (variant_declaration) @body) @enum) @outer
(variant_declaration (constructor_declaration (constructor_name) @name) @enumCase)
(field_declaration (field_name) @name) @property
(exception_definition (constructor_declaration (constructor_name) @name)) @struct

(module_definition (module_binding (module_name) @name body: (_) @body)) @module
(module_type_definition (module_type_name) @name body: (_) @body) @interface
(class_definition (class_binding (class_name) @name body: (_) @body)) @class
(method_definition (method_name) @name body: (_) @body) @method
(instance_variable_definition (instance_variable_name) @name) @property
(external (value_name) @name) @function
(value_specification (value_name) @name) @function

(application_expression function: (value_path (value_name) @call))
