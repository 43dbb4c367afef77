"""External services: embedders, the language model, and their circuit breaker."""

import os

# onnxruntime reports how it is used, and leaves a device's id in the home, unless this is set
# before it is first imported.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
