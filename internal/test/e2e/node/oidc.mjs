// A real authorization server, oidc-provider, on this machine. It has no pages: it logs its users in and consents by itself.
//
//     node oidc.mjs [--format=jwt|opaque] [--life=SECONDS] [--offline] [--scopes='read write']
//
// It prints its URL and ends with its standard input. Every URL is a resource (RFC 8707) with the scopes. The user is the
// parameter login_hint of the authorization request; alice has the group staff. Access tokens that permit more than to read
// live for the life, unless a refresh token has brought them. With --offline only the scope offline_access brings refresh
// tokens. The client "resource-server" with the secret "s3cret:of the server" can ask about tokens (RFC 7662).
//
// The scope of a registration is ignored: the SDKs register with the scope of their first challenge, which would forbid them to
// ask for more later.
//
// GET /counts?client=ID answers the numbers of a client: logins, consents, and tokens by code and by refresh token.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import Provider from 'oidc-provider';

const { values: options } = parseArgs({
    options: {
        format: { type: 'string', default: 'jwt' }, life: { type: 'string', default: '3600' }, offline: { type: 'boolean', default: false },
        scopes: { type: 'string', default: 'read write run issues:write' }
    }
});
const groups = { alice: ['staff'] };
const leeway = 30; // seconds that programs add to the end of a signed token, for clocks that are apart
const counts = new Map();

function count(client, name) {
    if (!counts.has(client)) counts.set(client, { logins: 0, consents: 0, codes: 0, refreshes: 0 });
    counts.get(client)[name]++;
}

const server = createServer();
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}`;

const jwk = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
const provider = new Provider(url, {
    jwks: { keys: [{ ...jwk, use: 'sig', alg: 'RS256', kid: 'first' }] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    extraClientMetadata: { properties: ['unlimited'], validator: (_ctx, _key, _value, metadata) => { delete metadata.scope; } },
    scopes: ['openid', 'offline_access', ...options.scopes.split(' ')],
    claims: { openid: ['sub'], groups: ['groups'] },
    clients: [{
        client_id: 'resource-server', client_secret: 's3cret:of the server', grant_types: [], redirect_uris: [], response_types: []
    }],
    features: {
        devInteractions: { enabled: false },
        registration: { enabled: true },
        introspection: { enabled: true, allowedPolicy: (_ctx, client) => client.clientId === 'resource-server' },
        resourceIndicators: {
            enabled: true,
            useGrantedResource: () => true,
            getResourceServerInfo: (_ctx, resource) => ({
                scope: options.scopes, audience: resource, accessTokenFormat: options.format,
                jwt: options.format === 'jwt' ? { sign: { alg: 'RS256' } } : undefined
            })
        }
    },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id, groups: groups[id] ?? [] }) }),
    extraTokenClaims: (_ctx, token) => ({ groups: groups[token.accountId] ?? [] }),
    issueRefreshToken: (_ctx, client, source) =>
        client.grantTypeAllowed('refresh_token') && (!options.offline || source.scopes.has('offline_access')),
    rotateRefreshToken: true,
    ttl: {
        AccessToken: (ctx, token) => isShort(ctx, token.scope) ? Number(options.life) : 3600,
        Grant: 3600, IdToken: 3600, Interaction: 600, RefreshToken: 3600, Session: 3600
    },
    formats: {
        customizers: {
            jwt: (ctx, _token, parts) => {
                if (isShort(ctx, parts.payload.scope)) parts.payload.exp -= leeway;
            }
        }
    }
});

function isShort(ctx, scope) {
    const refreshed = ctx.oidc.params?.grant_type === 'refresh_token';
    return !refreshed && options.life !== '3600' && scope !== undefined && scope.split(' ').some(name => name !== 'read' && name !== 'offline_access');
}

// interact answers a page: it logs the user in and consents to everything that the client asks for.
async function interact(request, response) {
    const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
    if (prompt.name === 'login') {
        count(params.client_id, 'logins');
        await provider.interactionFinished(request, response, { login: { accountId: params.login_hint } });
        return;
    }
    count(params.client_id, 'consents');
    const grant = await provider.Grant.find(grantId) ?? new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
    if (prompt.details.missingOIDCScope) grant.addOIDCScope(prompt.details.missingOIDCScope.join(' '));
    for (const [resource, scopes] of Object.entries(prompt.details.missingResourceScopes ?? {})) {
        grant.addResourceScope(resource, scopes.join(' '));
    }
    await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true });
}

provider.on('grant.success', ctx => {
    count(ctx.oidc.client.clientId, ctx.oidc.params.grant_type === 'refresh_token' ? 'refreshes' : 'codes');
});
for (const event of ['authorization.error', 'grant.error', 'registration_create.error', 'introspection.error', 'server_error']) {
    provider.on(event, (_ctx, error) => console.error(event, error.message, error.error_description ?? ''));
}

const handle = provider.callback();
server.on('request', (request, response) => {
    const { pathname, searchParams } = new URL(request.url, url);
    if (pathname === '/counts') {
        response.setHeader('Content-Type', 'application/json').end(JSON.stringify(counts.get(searchParams.get('client')) ?? {}));
    } else if (pathname.startsWith('/interaction/')) {
        interact(request, response).catch(error => response.writeHead(500).end(String(error)));
    } else {
        handle(request, response);
    }
});
process.stdout.write(url + '\n');
process.stdin.on('end', () => process.exit(0)).resume();
