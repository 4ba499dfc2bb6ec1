#define NHY 0
