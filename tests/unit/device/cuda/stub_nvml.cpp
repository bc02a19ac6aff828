// A libnvidia-ml.so.1 of the GPU "GPU-stub", whose memory has failed, and of two others: NVLinks lead to "GPU-second",
// and "GPU-slow" has another host bridge. What is missing here, an old one lacks, too.
extern "C" {

int nvmlInit_v2() { return 0; }
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  static int gpus[3];
  *device = &gpus[uuid[5] == 'e' ? 1 : uuid[5] == 'l' ? 2 : 0];
  return uuid[4] == 's' ? 0 : 6;  // NVML_ERROR_NOT_FOUND
}
int nvmlDeviceGetNvLinkState(void*, unsigned link, int* active) {
  *active = link < 4;
  return link < 6 ? 0 : 2;  // NVML_ERROR_INVALID_ARGUMENT
}
int nvmlDeviceGetP2PStatus(void* device, void* other, int index, int* status) {
  *status = index == 2 && static_cast<int*>(other) - static_cast<int*>(device) == 1 ? 0 : 1;
  return 0;
}
int nvmlDeviceGetTopologyCommonAncestor(void*, void*, int* level) {
  *level = 40;
  return 0;
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
