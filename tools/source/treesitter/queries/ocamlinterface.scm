(comment) @comment

(open_module module: (_) @import)

(type_definition (type_binding name: (type_constructor) @name) @typeAlias) @outer
(type_definition (type_binding name: (type_constructor) @name body: (record_declaration) @body) @struct) @outer
(type_definition (type_binding name: (type_constructor) @name body: (variant_declaration) @body) @enum) @outer
(variant_declaration (constructor_declaration (constructor_name) @name) @enumCase)
(field_declaration (field_name) @name) @property
(exception_definition (constructor_declaration (constructor_name) @name)) @struct

(module_definition (module_binding (module_name) @name)) @module
(module_type_definition (module_type_name) @name body: (_) @body) @interface
(external (value_name) @name) @function
(value_specification (value_name) @name) @function
