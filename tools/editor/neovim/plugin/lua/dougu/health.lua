-- :checkhealth dougu
local health = vim.health or require('health')
local start, ok = health.start or health.report_start, health.ok or health.report_ok
local warn, info = health.warn or health.report_warn, health.info or health.report_info

local M = {}

function M.check()
  local state = require('dougu').state()
  start('dougu ' .. state.version)
  if state.file then
    ok('servers find this Neovim by ' .. state.file .. ', at ' .. state.address)
  else
    warn('this Neovim is not announced', { "run :lua require('dougu').setup()" })
  end
  for _, server in ipairs(state.servers) do
    ok('connected: ' .. server)
  end
  if #state.servers == 0 then
    info('no server is connected; a server connects while it serves a project in or around ' .. vim.fn.getcwd())
  end
end

return M
