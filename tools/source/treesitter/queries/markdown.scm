(section . (atx_heading heading_content: (inline) @name)) @object
(section . (atx_heading heading_content: (inline) @name) . (_) @body) @object
