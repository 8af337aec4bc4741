declare module "*.woff2" { const base64: string; export default base64; }
