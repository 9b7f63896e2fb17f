# The command line in an image: `docker compose run --rm migrate` uses it for roles and schema.
FROM python:3.11-slim

WORKDIR /app
COPY requirements.lock ./
RUN pip install --no-cache-dir --require-hashes -r requirements.lock
COPY . .
RUN pip install --no-cache-dir --no-deps --no-build-isolation .

USER nobody
ENTRYPOINT ["workindex"]
CMD ["--help"]
