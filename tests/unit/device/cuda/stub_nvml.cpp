// A libnvidia-ml.so.1 of one GPU, "GPU-stub", whose memory has failed. What is missing here, an old one lacks, too.
extern "C" {

int nvmlInit_v2() { return 0; }
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  static int gpu;
  *device = &gpu;
  return uuid[4] == 's' ? 0 : 6;  // NVML_ERROR_NOT_FOUND
}
int nvmlDeviceGetTemperature(void*, int, unsigned* celsius) {
  *celsius = 35;
  return 0;
}
// Uncorrected ones (1) since the driver was loaded (0).
int nvmlDeviceGetTotalEccErrors(void*, int type, int counter, unsigned long long* errors) {
  *errors = type == 1 && counter == 0 ? 2 : 99;
  return 0;
}
int nvmlDeviceGetRemappedRows(void*, unsigned*, unsigned*, unsigned* pending, unsigned*) {
  *pending = 1;
  return 0;
}
}
