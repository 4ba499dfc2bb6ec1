/* quota<LONGEST = 50>: quota.down.send */
inline quota_down_send() {
    copy_message(quota_m_, queue[queue_slot].m);
    tmp1 = (((MY.quota.left - 1)) & 65535);
    MY.quota.left = tmp1;
    if :: queue_n < 64 :: else -> printf("report: 105 \n"); assert(false) fi;
    queue[queue_end].what = PORT_BELOW_DOWN_SEND;
    copy_message(queue[queue_end].m, quota_m_);
    queued();
}
