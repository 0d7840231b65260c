# syntax=docker/dockerfile:1
# Two stages: the first builds, the second contains only what a running server needs (scripts/pack.js).

FROM node:24-bookworm-slim AS build
WORKDIR /build
# For platforms without prebuilt native packages.
RUN apt-get update && apt-get install -y --no-install-recommends python3 make g++ && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build && node scripts/pack.js /cairn

FROM node:24-bookworm-slim
# npm and yarn are not needed at runtime, and have the most vulnerabilities over time.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /opt/yarn* \
  && mkdir /data && chown node:node /data
COPY --from=build /cairn /cairn
WORKDIR /cairn
USER node
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8000 DATA_DIR=/data
# The only folder that is written to: the root file system may be read-only.
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/_readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node is process 1 and handles SIGTERM: it stops accepting, finishes running requests, and exits within 10 s.
CMD ["node", "dist/main.js"]
