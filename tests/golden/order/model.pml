/* echo: echo.down.send */
inline echo_down_send() {
    copy_message(echo_m_, queue[queue_slot].m);
    if :: MY.later_n < 1 :: else -> printf("report: 105 \n"); assert(false) fi;
    MY.later[MY.later_n].what = COUNTED_UP_MARKED;
    MY.later[MY.later_n].x0 = MY.echo.last_;
    MY.later_n++;
    if :: queue_n < 64 :: else -> printf("report: 105 \n"); assert(false) fi;
    queue[queue_end].what = COUNTED_UP_DELIVER;
    copy_message(queue[queue_end].m, echo_m_);
    queued();
    if :: queue_n < 64 :: else -> printf("report: 105 \n"); assert(false) fi;
    queue[queue_end].what = PORT_BELOW_DOWN_SEND;
    copy_message(queue[queue_end].m, echo_m_);
    queued();
    tmp1 = (((MY.echo.last_ + 1)) & 255);
    MY.echo.last_ = tmp1;
}
/* counted: counted.up.deliver */
inline counted_up_deliver() {
    copy_message(counted_m_, queue[queue_slot].m);
    tmp2 = (((MY.counted.seen + 1)) & 255);
    MY.counted.seen = tmp2;
    if :: queue_n < 64 :: else -> printf("report: 105 \n"); assert(false) fi;
    queue[queue_end].what = PORT_ABOVE_UP_MARKED;
    queue[queue_end].x0 = MY.counted.seen;
    queued();
    if :: queue_n < 64 :: else -> printf("report: 105 \n"); assert(false) fi;
    queue[queue_end].what = PORT_ABOVE_UP_DELIVER;
    copy_message(queue[queue_end].m, counted_m_);
    queued();
}
