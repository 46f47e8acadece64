/** Security headers are set in src/proxy.ts, where the nonce is made; telemetry is turned off by the environment. */
const nextConfig = {
  reactStrictMode: true,
  poweredByHeader: false,
}

export default nextConfig
